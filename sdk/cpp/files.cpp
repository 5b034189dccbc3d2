// <fstream> and <filesystem> for genes in C++. The compiler ships libc++ for WASI without them, but with their sources, which
// are compiled here. Nothing of it is in a gene that does not use it.
//
// It is compiled, like the gene, with _LIBCPP_HAS_FILESYSTEM=1.
#define _LIBCPP_BUILDING_LIBRARY

#include <../src/filesystem/directory_entry.cpp>
#include <../src/filesystem/directory_iterator.cpp>
#include <../src/filesystem/filesystem_clock.cpp>
#include <../src/filesystem/filesystem_error.cpp>
#include <../src/filesystem/int128_builtins.cpp>
#include <../src/filesystem/path.cpp>
#include <../src/fstream.cpp>

// libc++ takes musl for a C library with copy_file_range. That of WASI has none.
#undef _LIBCPP_HAS_MUSL_LIBC
#define _LIBCPP_HAS_MUSL_LIBC 0
#include <../src/filesystem/operations.cpp>

_LIBCPP_BEGIN_NAMESPACE_STD
template class basic_filebuf<char>;
template class basic_ifstream<char>;
template class basic_ofstream<char>;
template class basic_fstream<char>;
_LIBCPP_END_NAMESPACE_STD
