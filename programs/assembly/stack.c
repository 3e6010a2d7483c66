// A stack of two words, its head and a count of changes, swapped by `lock cmpxchg16b`.
// gabion: verdict=verified
// gabion: compilers=gcc,clang
#include <assert.h>
#include <pthread.h>
#include <stdint.h>

struct node {
    struct node *below;
};

static struct {
    struct node *top;
    uint64_t changes;
} head __attribute__((aligned(16)));

static void push(struct node *node) {
    struct node *top = 0;
    uint64_t changes = 0;
    unsigned char done;
    do {
        node->below = top;
        __asm__ __volatile__("lock cmpxchg16b %1; sete %0"
                             : "=q"(done), "+m"(head), "+a"(top), "+d"(changes)
                             : "b"(node), "c"(changes + 1)
                             : "memory", "cc");
    } while (!done);
}

static void *work(void *node) {
    push(node);
    return node;
}

int main(void) {
    pthread_t other;
    struct node nodes[2];
    pthread_create(&other, NULL, work, &nodes[0]);
    push(&nodes[1]);
    pthread_join(other, NULL);
    assert(head.changes == 2 && head.top->below && !head.top->below->below);
    return 0;
}
