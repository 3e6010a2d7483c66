// What fails in one function is allowed, and the campaign goes on to what fails in another.
// gabion: verdict=bug kind=assertion
// gabion: args=--allow assertion@old_part
// gabion: native=no
#define NEW_FAILS_AT 0
#include "assertions.h"
