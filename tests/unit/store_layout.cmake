foreach(part
    layout_make layout_refused layout_rows layout_convert
    schema_parse schema_migrate schema_row
    component_register component_refused component_rows)
  firn_test(store_${part} unit/store_${part}.c)
endforeach()

# The table of conversions is what its script makes of the recorded matrix.
find_program(FIRN_PYTHON python3)
add_test(NAME store_convert_cases COMMAND ${FIRN_PYTHON}
  ${PROJECT_SOURCE_DIR}/tests/unit/store_convert_cases.py
  ${PROJECT_SOURCE_DIR}/tests/golden/tecs/migration_matrix.json
  ${PROJECT_SOURCE_DIR}/tests/unit/store_convert_cases.inc)
set_tests_properties(store_convert_cases PROPERTIES LABELS unit)
