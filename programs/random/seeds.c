// A seed fixes the sequence: rand, random, rand_r, drand48.
// gabion: verdict=verified
#define _DEFAULT_SOURCE
#include <assert.h>
#include <stdlib.h>

int main(void) {
    unsigned a = 5, b = 5;
    srand(7);
    int first = rand(), second = rand();
    srand(7);
    assert(rand() == first && rand() == second);
    assert(first >= 0 && second >= 0 && (first != second));
    srandom(9);
    long r = random();
    srandom(9);
    assert(random() == r);
    assert(rand_r(&a) == rand_r(&b) && a == b && a != 5);
    srand48(3);
    double d = drand48();
    srand48(3);
    assert(drand48() == d && d >= 0 && d < 1);
    return 0;
}
