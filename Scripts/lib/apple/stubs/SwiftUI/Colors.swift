// SPDX-License-Identifier: Apache-2.0

// swift-format-ignore-file

// Colours of UIKit and AppKit, and images of Core Graphics. Source: https://developer.apple.com/documentation/swiftui/color.
public import AppKit
public import UIKit

private func stub<T>() -> T { fatalError() }

extension Color {
    @available(macOS, unavailable) public init(uiColor: UIColor) {}
    @available(iOS, unavailable) @available(tvOS, unavailable) @available(watchOS, unavailable) @available(visionOS, unavailable)
    public init(nsColor: NSColor) {}
}
public final class CGImage: @unchecked Sendable { init() {} }
extension Image {
    public enum Interpolation: Hashable, Sendable { case none, low, medium, high }
    public init(_ cgImage: CGImage, scale: CGFloat, label: Text) {}
    public init(decorative cgImage: CGImage, scale: CGFloat) {}
    public func interpolation(_ interpolation: Image.Interpolation) -> Image { stub() }
}
