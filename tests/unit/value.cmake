# Test programs with the tree helpers.
foreach(name
    value_canonical value_changing value_check value_damage value_encode value_format value_memory value_print value_reader value_rows
    value_stream_rows value_table value_vectors value_writer)
  firn_test(${name} unit/${name}.c unit/value_trees.c)
endforeach()
