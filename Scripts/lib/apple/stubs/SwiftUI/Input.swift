// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file

// Text input with UIKit's, AppKit's and WatchKit's types, which SwiftUI passes on.
// Sources: https://developer.apple.com/documentation/swiftui/text-input-and-output, …/uikit/uitextcontenttype,
// …/appkit/nstextcontenttype, …/watchkit/wktextcontenttype.
private func stub<T>() -> T { fatalError() }

@available(macOS, unavailable) @available(watchOS, unavailable)
public struct UITextContentType: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    public static let name: Self = stub(), givenName: Self = stub(), familyName: Self = stub(), nickname: Self = stub()
    public static let emailAddress: Self = stub(), telephoneNumber: Self = stub(), URL: Self = stub()
    public static let username: Self = stub(), password: Self = stub(), newPassword: Self = stub(), oneTimeCode: Self = stub()
}
@available(iOS, unavailable) @available(tvOS, unavailable) @available(watchOS, unavailable) @available(visionOS, unavailable)
public struct NSTextContentType: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    public static let username: Self = stub(), password: Self = stub(), oneTimeCode: Self = stub()
    @available(macOS 14.0, *) public static let newPassword: Self = stub()
    @available(macOS 14.0, *) public static let emailAddress: Self = stub()
    @available(macOS 14.0, *) public static let name: Self = stub()
    @available(macOS 14.0, *) public static let telephoneNumber: Self = stub()
    @available(macOS 14.0, *) public static let givenName: Self = stub(), familyName: Self = stub(), nickname: Self = stub()
}
@available(iOS, unavailable) @available(tvOS, unavailable) @available(macOS, unavailable) @available(visionOS, unavailable)
public struct WKTextContentType: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    public static let name: Self = stub(), emailAddress: Self = stub(), telephoneNumber: Self = stub()
    public static let givenName: Self = stub(), familyName: Self = stub(), nickname: Self = stub()
    public static let username: Self = stub(), password: Self = stub(), newPassword: Self = stub(), oneTimeCode: Self = stub()
}
@available(macOS, unavailable) @available(watchOS, unavailable)
public enum UIKeyboardType: Int, Sendable { case `default`, asciiCapable, numbersAndPunctuation, URL, numberPad, phonePad, namePhonePad, emailAddress, decimalPad, twitter, webSearch, asciiCapableNumberPad }
@available(macOS, unavailable) @available(watchOS, unavailable)
public enum UITextAutocapitalizationType: Int, Sendable { case none, words, sentences, allCharacters }
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
