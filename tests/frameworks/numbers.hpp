#include <cstddef>
#include <vector>

class Numbers {
public:
    void add(int number);
    std::size_t count() const;

private:
    std::vector<int> numbers;
};
