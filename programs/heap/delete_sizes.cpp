// What the language allows: sizes and alignments that fit, virtual destructors, arrays that keep their length, no bytes, no
// block, constructors that throw, containers.
// gabion: verdict=verified
// gabion: args=--cflags "-std=c++17"
// gabion: compilers=gcc,clang
#include <memory>
#include <new>
#include <string>
#include <thread>
#include <vector>

struct Base {
    int a = 0;
    virtual ~Base() {}
};
struct Derived : Base {
    int more[4] = {};
};
struct Counted {
    int a = 0;
    ~Counted() { a = 1; }
};
struct alignas(64) Wide {
    int a = 0;
    ~Wide() { a = 1; }
};
struct Throws {
    int a[3];
    Throws() { throw 1; }
};
struct alignas(32) WideThrows {
    WideThrows() { throw 1; }
};
struct Empty {};

template <class T> static void fails() {
    try {
        delete new T;
    } catch (int) {
    }
    try {
        delete[] new T[2];
    } catch (int) {
    }
    try {
        delete new (std::nothrow) T;
    } catch (int) {
    }
}

static void work() {
    Base *base = new Derived;
    delete base;
    delete[] new Counted[3];
    delete[] new int[3];
    delete[] new int[0];
    delete[] new Counted[0];
    delete new Wide;
    delete[] new Wide[2];
    delete new (std::nothrow) Wide;
    delete new Empty;
    fails<Throws>();
    fails<WideThrows>();
    ::operator delete(::operator new(0), std::size_t(0));
    ::operator delete(::operator new(24), std::size_t(24));
    ::operator delete(::operator new(24), std::nothrow);
    ::operator delete(::operator new(64, std::align_val_t(8)), std::align_val_t(8));
    ::operator delete(nullptr, std::size_t(8));
    ::operator delete(nullptr, std::align_val_t(64));
    std::vector<Wide> wide(3);
    wide.resize(5);
    std::string text(40, 'a');
    text += text;
    auto shared = std::make_shared<Wide>();
    std::unique_ptr<Base> owned = std::make_unique<Derived>();
}

int main() {
    std::thread t(work);
    t.join();
}
