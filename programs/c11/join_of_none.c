// A handle is joined that no thread has been given.
// gabion: verdict=bug kind=segfault message="handle of no thread" location=HERE
// gabion: native=no
#include <threads.h>

static thrd_t other;

static int work(void *arg) {
    (void)arg;
    return thrd_join(other, 0); // HERE
}

int main(void) {
    thrd_t first;
    thrd_create(&first, work, 0);
    thrd_join(first, 0);
    return 0;
}
