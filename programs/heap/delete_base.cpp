// An object is deleted by a pointer to its base class, which has no virtual destructor: the size is the base's.
// gabion: verdict=bug kind=bad-free location=HERE allocated=THERE
// gabion: message="a block of 20 bytes from new is given to delete as one of 4 bytes"
// gabion: args=--cflags "-std=c++17 -Wno-delete-non-virtual-dtor"
// gabion: compilers=gcc,clang
struct Base {
    int a = 0;
};
struct Derived : Base {
    int more[4] = {};
};

int main() {
    Base *p = new Derived; // THERE
    delete p; // HERE
}
