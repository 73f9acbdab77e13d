// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import AuthPackage

/// The document's name of a window, which comes from Authentication Services on Apple's platforms.
typealias ASPresentationAnchor = PresentationAnchor
#endif
