// gabion: verdict=complete runs=5
// gabion: args=--within '*' --without 'thr_j*' --without m??n --within alloc*
// Patterns: of main's points only those in allocate: 3, start and end.
#include "thesis.h"
