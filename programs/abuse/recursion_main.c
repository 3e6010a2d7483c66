// Recursion without end on the main stack.
// gabion: verdict=bug kind=segfault
// gabion: args=--preempt sync
static volatile int depth;

static int down(int n) {
    volatile char frame[512];
    if (n < 0)
        return 0;
    frame[n % 512] = 1;
    depth = n;
    return down(n + 1) + frame[0];
}

int main(void) { return down(0); }
