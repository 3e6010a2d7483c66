// Every operation of C11 and of the compilers' built-ins, and what each returns.
// gabion: verdict=verified runs=1
// gabion: compilers=gcc,clang
#include <assert.h>
#include <stdatomic.h>
#include <stdbool.h>

static atomic_int x;
static int y;
static atomic_bool b;
static atomic_flag flag = ATOMIC_FLAG_INIT;

int main(void) {
    int expected = 9;
    atomic_store_explicit(&x, 5, memory_order_release);
    assert(atomic_load_explicit(&x, memory_order_acquire) == 5);
    assert(atomic_exchange(&x, 6) == 5);
    assert(!atomic_compare_exchange_strong(&x, &expected, 1) && expected == 6);
    assert(atomic_compare_exchange_strong(&x, &expected, 1) && x == 1);
    assert(atomic_fetch_add(&x, 4) == 1 && atomic_fetch_sub(&x, 2) == 5 && atomic_fetch_or(&x, 8) == 3);
    assert(atomic_fetch_xor(&x, 1) == 11 && atomic_fetch_and(&x, 2) == 10 && x == 2);
    atomic_store(&b, true);
    assert(atomic_exchange(&b, false));
    assert(!atomic_flag_test_and_set(&flag) && atomic_flag_test_and_set(&flag));
    atomic_flag_clear(&flag);
    atomic_thread_fence(memory_order_seq_cst);
    atomic_signal_fence(memory_order_seq_cst);

    assert(__sync_fetch_and_add(&y, 2) == 0 && __sync_add_and_fetch(&y, 2) == 4);
    assert(__sync_bool_compare_and_swap(&y, 4, 5) && __sync_val_compare_and_swap(&y, 4, 6) == 5);
    assert(__sync_lock_test_and_set(&y, 7) == 5);
    __sync_lock_release(&y);
    __sync_synchronize();
    assert(__atomic_add_fetch(&y, 3, __ATOMIC_SEQ_CST) == 3 && __atomic_fetch_nand(&y, 1, __ATOMIC_SEQ_CST) == 3);
    assert(y == ~1);
    __atomic_store_n(&y, 3, __ATOMIC_RELAXED);
    assert(__atomic_load_n(&y, __ATOMIC_RELAXED) == 3);
    return 0;
}
