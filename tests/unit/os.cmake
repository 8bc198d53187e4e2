foreach(part replace temporary read)
  firn_test(os_${part} unit/os_${part}.c unit/os_folder.c)
endforeach()
