foreach(name bytes exact)
  firn_test(snapshot_${name} api/snapshot_${name}.c api/snapshot_zoo.c)
endforeach()
