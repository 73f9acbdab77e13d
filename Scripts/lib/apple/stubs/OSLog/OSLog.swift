// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file

// The unified log's module for writers and readers; it passes `os` on.
@_exported public import os
