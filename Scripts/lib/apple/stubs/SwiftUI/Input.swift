// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file

// Text input. Source: https://developer.apple.com/documentation/swiftui/text-input-and-output.
public import AppKit
public import UIKit
public import WatchKit

private func stub<T>() -> T { fatalError() }

@available(macOS, unavailable)
public struct TextInputAutocapitalization: Sendable {
    public static var never: Self { stub() }
    public static var words: Self { stub() }
    public static var sentences: Self { stub() }
    public static var characters: Self { stub() }
}
public struct SubmitLabel: Sendable {
    public static var done: Self { stub() }
    public static var go: Self { stub() }
    public static var send: Self { stub() }
    public static var join: Self { stub() }
    public static var search: Self { stub() }
    public static var `return`: Self { stub() }
    public static var next: Self { stub() }
    public static var `continue`: Self { stub() }
}
extension View {
    @available(macOS, unavailable) @available(watchOS, unavailable)
    public func textContentType(_ textContentType: UITextContentType?) -> some View { _Modified() }
    @available(iOS, unavailable) @available(tvOS, unavailable) @available(watchOS, unavailable) @available(visionOS, unavailable)
    public func textContentType(_ textContentType: NSTextContentType?) -> some View { _Modified() }
    @available(iOS, unavailable) @available(tvOS, unavailable) @available(macOS, unavailable) @available(visionOS, unavailable)
    public func textContentType(_ textContentType: WKTextContentType?) -> some View { _Modified() }
    @available(macOS, unavailable) @available(watchOS, unavailable)
    public func keyboardType(_ type: UIKeyboardType) -> some View { _Modified() }
    @available(macOS, unavailable) @available(watchOS, unavailable)
    public func autocapitalization(_ style: UITextAutocapitalizationType) -> some View { _Modified() }
    @available(macOS, unavailable)
    public func textInputAutocapitalization(_ autocapitalization: TextInputAutocapitalization?) -> some View { _Modified() }
    public func autocorrectionDisabled(_ disable: Bool = true) -> some View { _Modified() }
    public func submitLabel(_ submitLabel: SubmitLabel) -> some View { _Modified() }
}
