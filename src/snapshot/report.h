/// report.h: what a load tells. Room for all that it may have to tell is made before the commit.
#ifndef FR_REPORT_H
#define FR_REPORT_H

#include "snapshot/load.h"

/// Makes the report's memory and fills its component table; the sources know their components, or
/// with `failed` at least which of them are unknown. FIRN_NO_MEMORY.
firn_result fr_report_reserve(const fr_load *load, bool failed, firn_load_report *report,
                              firn_error *err);
/// Tells what the load did, or with `failed` what it did not know. Cannot fail.
void fr_report_fill(const fr_load *load, bool failed, firn_load_report *report);

#endif
