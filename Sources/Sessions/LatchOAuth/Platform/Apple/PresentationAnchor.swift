// SPDX-License-Identifier: Apache-2.0

#if canImport(AuthenticationServices) && !os(watchOS)
public import AuthenticationServices

/// The window above which the system shows a page.
public typealias PresentationAnchor = ASPresentationAnchor
#endif
