# Faults of the file system: strace and LD_PRELOAD need a Linux system and its own processor.
find_program(FIRN_PYTHON python3)
if(CMAKE_SYSTEM_NAME STREQUAL Linux AND NOT FIRN_TEST_LAUNCHER AND FIRN_PYTHON)
  add_executable(file_driver fault/file_driver.c)
  firn_test_settings(file_driver)
  target_link_libraries(file_driver PRIVATE firn_whole)
  add_library(file_shim MODULE fault/file_shim.c)
  set_target_properties(file_shim PROPERTIES C_STANDARD 11)

  add_executable(storage_driver fault/storage_driver.c)
  firn_test_settings(storage_driver)
  target_link_libraries(storage_driver PRIVATE firn_whole)

  function(firn_file_fault script mode)
    set(name fault_${script}_${mode})
    string(REGEX REPLACE "_.*" "_driver" driver ${script})
    add_test(NAME ${name} COMMAND ${FIRN_PYTHON} -B
      ${CMAKE_CURRENT_SOURCE_DIR}/fault/${script}.py ${mode}
      $<TARGET_FILE:${driver}> $<TARGET_FILE:file_shim>)
    set_tests_properties(${name} PROPERTIES LABELS fault TIMEOUT 3600 SKIP_RETURN_CODE 77)
  endfunction()
  foreach(mode once for_ever any kill short)
    firn_file_fault(file_syscalls ${mode})
  endforeach()
  foreach(mode short_writes size_limit full_disk)
    firn_file_fault(file_disk ${mode})
  endforeach()
  foreach(mode put get head list remove)
    firn_file_fault(storage_syscalls ${mode})
  endforeach()
else()
  message(STATUS "SKIP: the faults of the file system need Linux, python3 and no launcher")
endif()

# Storages on a disk in memory: the system calls of the os room are those of disk_calls.c.
if(CMAKE_SYSTEM_NAME STREQUAL Linux)
  set(disk_wraps)
  foreach(call clock_gettime close closedir dirfd faccessat fallocate fchmod fcntl fdopendir flock
      fstat fstatat fsync futimens getentropy linkat mkdir openat read readdir renameat rmdir stat
      unlink unlinkat write)
    list(APPEND disk_wraps -Wl,--wrap=${call})
  endforeach()
  foreach(call fallocate fcntl fstat fstatat openat readdir stat)
    list(APPEND disk_wraps -Wl,--wrap=${call}64)
  endforeach()
  foreach(name crash faults)
    firn_test(storage_${name} fault/storage_${name}.c fault/storage_disk.c fault/disk.c
      fault/disk_calls.c)
    target_link_options(storage_${name} PRIVATE ${disk_wraps})
  endforeach()
endif()

# Damaged bytes; FIRN_BYTES multiplies how many.
firn_test(bytes_firn fault/bytes_firn.c fault/bytes_damage.c golden/firn_worlds.c)
firn_test(bytes_tecs fault/bytes_tecs.c fault/bytes_damage.c
  golden/tecs_components.c golden/tecs_codecs.c)
firn_test(bytes_script fault/bytes_script.c fault/bytes_damage.c)
firn_test(bytes_memory fault/bytes_memory.c golden/firn_build.c golden/firn_worlds.c)

firn_test(save_file_damage fault/save_file_damage.c golden/firn_saves.c)
firn_test(save_slot_damage fault/save_slot_damage.c)
firn_test(persist_damage fault/persist_damage.c api/persist_room.c api/persist_section.c
  api/snapshot_zoo.c)
firn_test(salvage_damage fault/salvage_damage.c)
firn_test(salvage_saves fault/salvage_saves.c)

# Every public call without memory.
firn_test_program(memory_calls fault/memory_calls.c fault/memory_scene.c fault/memory_value.c
  fault/memory_world.c fault/memory_snapshot.c fault/memory_plugin.c
  fault/memory_event.c fault/memory_relation.c fault/memory_game.c fault/memory_image.c
  fault/memory_json.c fault/memory_save_file.c
  fault/memory_manager.c fault/memory_persist.c fault/memory_slots.c
  fault/memory_storage.c
  fault/memory_file.c
  fault/memory_replace.c
  fault/memory_rewrite.c
  fault/memory_salvage.c
  fault/memory_diff.c
  fault/memory_script.c
  api/snapshot_zoo.c)
firn_test_run(memory_calls_worlds fault memory_calls "N12_*")
firn_test_run(memory_calls_saves fault memory_calls "*" "N12_*")
set_tests_properties(memory_calls_worlds memory_calls_saves PROPERTIES TIMEOUT 3600)
