// sigsetjmp, siglongjmp and the underscore variants.
// gabion: verdict=verified runs=1
#define _GNU_SOURCE
#include <assert.h>
#include <setjmp.h>

static sigjmp_buf with_mask;
static jmp_buf plain;

int main(void) {
    int r = sigsetjmp(with_mask, 1);
    if (r == 0)
        siglongjmp(with_mask, 3);
    assert(r == 3);
    r = _setjmp(plain);
    if (r == 0)
        longjmp(plain, 0);
    assert(r == 1);
    return 0;
}
