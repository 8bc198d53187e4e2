firn_test(store_index unit/store_index.c)
firn_test(store_relation unit/store_relation.c)
firn_test(store_relation_model unit/store_relation_model.c)
firn_test(store_rename unit/store_rename.c unit/store_renames.c api/snapshot_zoo.c)
foreach(name store_command store_component_check store_plain store_query store_spawn_rows
    store_world_rows)
  firn_test(${name} unit/${name}.c unit/store_fixture.c)
endforeach()
firn_test(event_bus unit/event_bus.c)
foreach(name event_change event_emit event_publish event_queue)
  firn_test(${name} unit/${name}.c unit/event_journal.c unit/store_fixture.c)
endforeach()
foreach(name aside refused rules)
  firn_test(store_relation_${name} unit/store_relation_${name}.c unit/store_relations.c
    unit/event_journal.c unit/store_fixture.c)
endforeach()
firn_test(event_world_model unit/event_world_model.c unit/event_model.c unit/event_journal.c
  unit/store_fixture.c)
firn_test(store_world_model unit/store_world_model.c unit/store_model.c unit/store_fixture.c)
