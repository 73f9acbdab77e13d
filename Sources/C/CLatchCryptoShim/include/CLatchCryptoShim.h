// SPDX-License-Identifier: Apache-2.0
#pragma once

// CLatchCryptoShim.c prepares the library before its first use; there is nothing to call.
