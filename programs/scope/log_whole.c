// gabion: verdict=partial
// gabion: args=--max-runs 5000
// The orders of 24 notes are out of reach.
#include "log.h"
