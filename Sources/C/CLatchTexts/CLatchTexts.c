// SPDX-License-Identifier: Apache-2.0
#include "CLatchTexts.h"

// C23 §6.10.3. Clang knows it in every version of C, and rebuilds this file when the catalog changes.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const uint8_t catalog[] = {
#embed "../../Core/LatchTexts/Catalog/Localizable.xcstrings"
};

const uint8_t *latch_catalog(size_t *count) {
    *count = sizeof catalog;
    return catalog;
}
