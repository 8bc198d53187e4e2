foreach(name bytes codec data exact hash hooks load migrate)
  firn_test(snapshot_${name} api/snapshot_${name}.c api/snapshot_zoo.c)
endforeach()
