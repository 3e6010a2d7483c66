// What is taken with new, new[] and malloc is given back in kind.
// gabion: verdict=verified|complete
// gabion: compilers=gcc,clang
#include <cstdlib>
#include <memory>
#include <new>
#include <string>
#include <vector>

struct alignas(64) wide {
    int x = 0;
};

int main() {
    delete new int;
    delete[] new int[3];
    delete new wide;
    delete[] new wide[2];
    delete new (std::nothrow) int;
    delete[] new (std::nothrow) int[3];
    free(malloc(3));
    free(realloc(calloc(1, 3), 5));
    ::operator delete(::operator new(7));
    std::vector<int> v(100, 1);
    std::string s(100, 'a');
    auto shared = std::make_shared<std::vector<int>>(v);
    std::unique_ptr<int[]> array(new int[5]);
    return v.size() + s.size() == 200 ? 0 : 1;
}
