// Two straight lines that race throughout: thousands of pairs of instructions.
#include <pthread.h>

static volatile int x;

#define TEN(one) one one one one one one one one one one
#define LINE x += 1; x ^= 1;

static void *add(void *unused) {
    TEN(LINE)
    TEN(LINE)
    TEN(LINE)
    TEN(LINE)
    TEN(LINE)
    TEN(LINE)
    TEN(LINE)
    TEN(LINE)
    TEN(LINE)
    TEN(LINE)
    TEN(LINE)
    TEN(LINE)
    return unused;
}

static void *change(void *unused) {
    TEN(LINE)
    TEN(LINE)
    TEN(LINE)
    TEN(LINE)
    TEN(LINE)
    TEN(LINE)
    TEN(LINE)
    TEN(LINE)
    TEN(LINE)
    TEN(LINE)
    TEN(LINE)
    TEN(LINE)
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, add, NULL);
    pthread_create(&b, NULL, change, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
