foreach(name store_world_model)
  firn_test(${name} unit/${name}.c unit/store_fixture.c)
endforeach()
