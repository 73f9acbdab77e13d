// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
@_exported public import FoundationEssentials
#endif
