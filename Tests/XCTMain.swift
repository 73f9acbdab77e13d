// SPDX-License-Identifier: Apache-2.0

import Testing

/// Runs the tests.
///
/// SwiftPM would look for XCTest's classes in the compiler's index to write such a file. With this one a build needs no index,
/// which takes a quarter of the compiler's time: `swift build --build-tests --disable-index-store`.
@main struct TestRunner {
    static func main() async { await Testing.__swiftPMEntryPoint() as Never }
}
