// Where strtok goes on is kept for all threads.
// says: T0 (main) uses a static buffer of the C library at hidden.c:11 and again at hidden.c:12
// says: in between T1 (parts) used it at hidden.c:11
#include <assert.h>
#include <pthread.h>
#include <string.h>

static char one[] = "x y", other[] = "u v";

static void *parts(void *text) {
    char *first = strtok(text, " ");
    char *second = strtok(0, " ");
    assert(second == first + 2);
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, parts, one);
    parts(other);
    pthread_join(t, 0);
}
