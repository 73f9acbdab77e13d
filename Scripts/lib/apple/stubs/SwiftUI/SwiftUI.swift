// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file

// SwiftUI, as far as the project names it: it shows Combine's protocol, but the members of a protocol are visible to the
// files only that import Combine themselves. Source: https://developer.apple.com/documentation/swiftui.
@_exported public import protocol Combine.ObservableObject
