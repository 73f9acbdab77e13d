# SPDX-License-Identifier: Apache-2.0
"""Mistakes that a reader of Apple's headers made to try the check, for `check-apple --seed`; seeds.py makes them."""

# Name, target, file, platform, what the compiler says, what it replaces (or nothing), and the code.
MISTAKES = [
    (
        "label of another name", "LatchOAuth", "SystemWebAuthentication.swift", "ios", "label",
        r"url: url, callback: callback", "url: url, callbackURL: callback"),
    (
        "newer type of the standard library", "LatchOAuth", "SystemWebAuthentication.swift", "ios", "only available in",
        "", "func seeded() -> Int { let a: InlineArray<2, Int> = [1, 2]; return a[0] }"),
    (
        "optional that is not unwrapped", "LatchOAuth", "SystemAppleIDProvider.swift", "ios", "must be unwrapped",
        "", "func seeded(_ c: ASAuthorizationAppleIDCredential) -> Int { c.identityToken.count }"),
    (
        "context captured by a detached task", "LatchAuth", "KeychainContext.swift", "ios", "data races",
        "", "func seeded() { let c = LAContext(); Task.detached { c.invalidate() }; c.invalidate() }"),
    (
        "main actor from elsewhere", "LatchUI", "WindowReader+UIKit.swift", "ios", "main actor",
        "", "nonisolated func seeded(_ v: UIView) -> Bool { v.window == nil }"),
    (
        "request of iOS on macOS", "LatchAccounts", "AuthorizationDialog+AppKit.swift", "macos", "unavailable in macOS",
        r"controller\.performRequests\(options: \.preferImmediatelyAvailableCredentials\)",
        "controller.performAutoFillAssistedRequests()"),
    (
        "request of iOS on Mac Catalyst", "LatchAccounts", "AuthorizationDialog+AppKit.swift", "maccatalyst",
        "unavailable in Mac Catalyst", r"controller\.performRequests\(options: \.preferImmediatelyAvailableCredentials\)",
        "controller.performAutoFillAssistedRequests()"),
    (
        "private browser on tvOS", "LatchOAuth", "SystemWebAuthenticationSession+tvOS.swift", "tvos", "unavailable in tvOS",
        r"self\.session = session\n", "self.session = session\n        session.prefersEphemeralWebBrowserSession = true\n"),
    (
        "end of a browser on tvOS", "LatchOAuth", "SystemWebAuthenticationSession+tvOS.swift", "tvos",
        "unavailable in tvOS", r"session = nil", "session?.cancel()"),
    (
        "size of controls on tvOS", "LatchUI", "ControlSize+tvOS.swift", "tvos", "unavailable in tvOS",
        r"\{ self \}", "{ controlSize(.large) }"),
    (
        "constant beyond 32 bits", "LatchHTTP", "URLSessionTransport.swift", "watchos", "does not fit",
        "", "func seeded() -> Int { 3_000_000_000 }"),
    (
        "all cases of an SDK's enum", "LatchUI", "AppleButtonStyle.swift", "ios", "unknown",
        "", "func seeded(_ s: ScenePhase) -> Int { switch s { case .active: 1\n case .inactive: 2\n case .background: 3 } }"),
    (
        "observable object without Combine", "LatchUI", "AppleButtonStyle.swift", "ios", "conform",
        "", "final class SeededModel {}\nextension SeededModel: ObservableObject {}"),
    (
        "function that only glibc has", "LatchCore", "FileSync+Apple.swift", "macos", "cannot find",
        "", "func seeded(_ p: UnsafeMutableRawPointer) { explicit_bzero(p, 1) }"),
    (
        "C type of another width", "LatchCore", "FileSync+Apple.swift", "macos", "cannot convert",
        "", "func seeded(_ m: mode_t) -> UInt32 { m }"),
    (
        "newer function of the C library", "LatchCore", "FileSync+Apple.swift", "macos", "only available in macOS",
        "", "func seeded() -> Int32 { pipe2(nil, 0) }"),
    (
        "pasteboard on watchOS", "LatchUI", "TextInput+WatchKit.swift", "watchos", "unavailable",
        "", "func seeded() { _ = UIPasteboard.general }"),
    (
        "handler that is not Sendable", "LatchOAuth", "SystemAppleIDProvider.swift", "ios", "Sendable",
        "", "final class SeededBox { var n = 0 }\nfunc seeded(_ b: SeededBox) {\n"
        '    ASAuthorizationAppleIDProvider().getCredentialState(forUserID: "") { _, _ in b.n += 1 }\n}'),
    (
        "member of AppKit without its import", "LatchOAuth", "SystemWebAuthentication.swift", "macos", "cannot find",
        "", "@MainActor func seeded() { _ = NSPasteboard.general }"),
    (
        "constant of another type", "LatchAuth", "KeychainProtection.swift", "ios", "cannot convert",
        "", "func seeded() -> CFString { kSecAttrAccessible as String }"),
    (
        "macro that Xcode's plugin expands", "LatchUI", "RoleBadge.swift", "ios", "plugin",
        "", '#Preview {\n    RoleBadge(role: "admin")\n}'),
]
