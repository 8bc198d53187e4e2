/// number.h: numbers of all kinds in one order.
#ifndef FR_CLI_NUMBER_H
#define FR_CLI_NUMBER_H

#include "firn/value.h"

/// Whether a value is a number, an int64 or a uint64.
bool fr_cli_is_number(const firn_value *value);
/// Compares two of them exactly, whatever their kinds: *order is below, at or above 0. false: one
/// is a NaN.
bool fr_cli_number_compare(const firn_value *a, const firn_value *b, int *order);

#endif
