// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file

// AppKit: colours, the pasteboard, text content and windows. Source: https://developer.apple.com/documentation/appkit.
public import AppleFoundation

private func stub<T>() -> T { fatalError() }

@available(iOS, unavailable) @available(tvOS, unavailable) @available(watchOS, unavailable) @available(visionOS, unavailable)
open class NSColor: NSObject, @unchecked Sendable {
    public typealias Name = String
    public init(srgbRed red: CGFloat, green: CGFloat, blue: CGFloat, alpha: CGFloat) {}
    public init(name colorName: NSColor.Name?, dynamicProvider: @escaping @Sendable (NSAppearance) -> NSColor) {}
}
@available(iOS, unavailable) @available(tvOS, unavailable) @available(watchOS, unavailable) @available(visionOS, unavailable)
open class NSAppearance: NSObject, @unchecked Sendable {
    public struct Name: Hashable, Sendable { public static let aqua: Name = stub(), darkAqua: Name = stub() }
    open func bestMatch(from appearances: [NSAppearance.Name]) -> NSAppearance.Name? { stub() }
}
@available(iOS, unavailable) @available(tvOS, unavailable) @available(watchOS, unavailable) @available(visionOS, unavailable)
open class NSWorkspace: NSObject {
    open class var shared: NSWorkspace { stub() }
    open func urlForApplication(toOpen url: URL) -> URL? { stub() }
}
@available(iOS, unavailable) @available(tvOS, unavailable) @available(watchOS, unavailable) @available(visionOS, unavailable)
open class NSPasteboard: NSObject {
    public struct PasteboardType: Hashable, Sendable { public static let string: PasteboardType = stub() ; public init(_ rawValue: String) {} }
    open class var general: NSPasteboard { stub() }
    @discardableResult open func clearContents() -> Int { stub() }
    @discardableResult open func setString(_ string: String, forType dataType: NSPasteboard.PasteboardType) -> Bool { stub() }
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
#if os(macOS)
@MainActor open class NSView: NSObject {
    public override init() {}
    open var window: NSWindow? { stub() }
    open func viewDidMoveToWindow() {}
}
@MainActor open class NSWindow: NSObject { public override init() {} }
#endif
