// SPDX-License-Identifier: Apache-2.0
// What Swift cannot call: libmicrohttpd's variadic functions, one function per shape that we use.
#pragma once
#include <microhttpd.h>
