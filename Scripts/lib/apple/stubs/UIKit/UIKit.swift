// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file

// UIKit: colours, the pasteboard, text input and windows. watchOS has its colours alone.
// Source: https://developer.apple.com/documentation/uikit.
public import AppleFoundation

private func stub<T>() -> T { fatalError() }

@available(macOS, unavailable)
open class UIColor: NSObject, @unchecked Sendable {
    public init(red: CGFloat, green: CGFloat, blue: CGFloat, alpha: CGFloat) {}
    @available(watchOS, unavailable)
    public init(dynamicProvider: @escaping @Sendable (UITraitCollection) -> UIColor) {}
}
@available(macOS, unavailable) @available(watchOS, unavailable)
public enum UIUserInterfaceStyle: Int, Sendable { case unspecified, light, dark }
@available(macOS, unavailable) @available(watchOS, unavailable)
open class UITraitCollection: NSObject, @unchecked Sendable { open var userInterfaceStyle: UIUserInterfaceStyle { stub() } }
@available(macOS, unavailable) @available(tvOS, unavailable) @available(watchOS, unavailable)
@MainActor open class UIPasteboard: NSObject {
    public struct OptionsKey: Hashable, Sendable { public static let localOnly: OptionsKey = stub(), expirationDate: OptionsKey = stub() }
    open class var general: UIPasteboard { stub() }
    open func setItems(_ items: [[String: Any]], options: [UIPasteboard.OptionsKey: Any] = [:]) {}
}
@available(macOS, unavailable) @available(watchOS, unavailable)
public struct UITextContentType: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    public static let name: Self = stub(), givenName: Self = stub(), familyName: Self = stub(), nickname: Self = stub()
    public static let emailAddress: Self = stub(), telephoneNumber: Self = stub(), URL: Self = stub()
    public static let username: Self = stub(), password: Self = stub(), newPassword: Self = stub(), oneTimeCode: Self = stub()
}
@available(macOS, unavailable) @available(watchOS, unavailable)
public enum UIKeyboardType: Int, Sendable { case `default`, asciiCapable, numbersAndPunctuation, URL, numberPad, phonePad, namePhonePad, emailAddress, decimalPad, twitter, webSearch, asciiCapableNumberPad }
@available(macOS, unavailable) @available(watchOS, unavailable)
public enum UITextAutocapitalizationType: Int, Sendable { case none, words, sentences, allCharacters }
#if os(iOS) || os(tvOS) || os(visionOS)
@MainActor open class UIView: NSObject {
    public override init() {}
    open var window: UIWindow? { stub() }
    open func didMoveToWindow() {}
}
@MainActor open class UIWindow: UIView {}
#endif
