firn_test(store_index unit/store_index.c)
foreach(name store_command store_query store_world_model store_world_rows)
  firn_test(${name} unit/${name}.c unit/store_fixture.c)
endforeach()
