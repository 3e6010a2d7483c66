// gabion: verdict=error message=write_note
// gabion: args=--trust wirte_note
// The message names what may have been meant.
#include "log.h"
