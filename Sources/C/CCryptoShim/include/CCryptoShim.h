// SPDX-License-Identifier: Apache-2.0
#pragma once

// CCryptoShim.c has what the library needs before it is used first; there is nothing to call.
