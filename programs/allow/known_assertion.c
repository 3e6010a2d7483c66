// What fails in one function is known and allowed; nothing else does. What is behind it is not explored.
// gabion: verdict=complete caveat=allowed
// gabion: args=--allow assertion@old_*
// gabion: native=no
#define NEW_FAILS_AT 7
#include "assertions.h"
