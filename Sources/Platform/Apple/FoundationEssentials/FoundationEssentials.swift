// SPDX-License-Identifier: Apache-2.0

// Apple's SDKs have all of Foundation and no module of this name. There the manifest adds this one, so that the same
// `import FoundationEssentials` stands in every file; elsewhere the toolchain's own is used and this folder is left out.
@_exported public import Foundation
