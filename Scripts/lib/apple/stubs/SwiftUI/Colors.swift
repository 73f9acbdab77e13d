// SPDX-License-Identifier: Apache-2.0

// swift-format-ignore-file

// Colours that follow the appearance, the pasteboards, and images of Core Graphics, which SwiftUI passes on.
// Sources: https://developer.apple.com/documentation/uikit/uicolor, …/appkit/nscolor, …/uikit/uipasteboard,
// …/appkit/nspasteboard, …/swiftui/image.
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
extension Color {
    @available(macOS, unavailable) public init(uiColor: UIColor) {}
    @available(iOS, unavailable) @available(tvOS, unavailable) @available(watchOS, unavailable) @available(visionOS, unavailable)
    public init(nsColor: NSColor) {}
}
@available(macOS, unavailable) @available(tvOS, unavailable) @available(watchOS, unavailable)
@MainActor open class UIPasteboard: NSObject {
    public struct OptionsKey: Hashable, Sendable { public static let localOnly: OptionsKey = stub(), expirationDate: OptionsKey = stub() }
    open class var general: UIPasteboard { stub() }
    open func setItems(_ items: [[String: Any]], options: [UIPasteboard.OptionsKey: Any] = [:]) {}
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
public final class CGImage: @unchecked Sendable { init() {} }
extension Image {
    public enum Interpolation: Hashable, Sendable { case none, low, medium, high }
    public init(_ cgImage: CGImage, scale: CGFloat, label: Text) {}
    public init(decorative cgImage: CGImage, scale: CGFloat) {}
    public func interpolation(_ interpolation: Image.Interpolation) -> Image { stub() }
}
