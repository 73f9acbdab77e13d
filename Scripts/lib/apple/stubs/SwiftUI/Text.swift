// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file

// Text, images, fonts and colours. A literal is a key of the app's string catalog; other texts are strings.
// Source: https://developer.apple.com/documentation/swiftui/text.
public import AppleFoundation

private func stub<T>() -> T { fatalError() }

public protocol _FormatSpecifiable: Equatable {}
extension Int: _FormatSpecifiable {}
extension Int64: _FormatSpecifiable {}
extension UInt: _FormatSpecifiable {}
extension Double: _FormatSpecifiable {}
extension Float: _FormatSpecifiable {}
public struct LocalizedStringKey: Equatable, ExpressibleByStringInterpolation {
    public init(_ value: String) {}
    public init(stringLiteral value: String) {}
    public init(stringInterpolation: StringInterpolation) {}
    public struct StringInterpolation: StringInterpolationProtocol {
        public init(literalCapacity: Int, interpolationCount: Int) {}
        public mutating func appendLiteral(_ literal: String) {}
        public mutating func appendInterpolation(_ string: String) {}
        public mutating func appendInterpolation<T: _FormatSpecifiable>(_ value: T) {}
        public mutating func appendInterpolation<T: _FormatSpecifiable>(_ value: T, specifier: String) {}
        public mutating func appendInterpolation<F: FormatStyle>(_ input: F.FormatInput, format: F) where F.FormatInput: Equatable, F.FormatOutput == String {}
        public mutating func appendInterpolation(_ text: Text) {}
        public mutating func appendInterpolation(_ date: Date, style: Text.DateStyle) {}
        public mutating func appendInterpolation(_ image: Image) {}
    }
}

public struct Text: Equatable, Sendable {
    public enum TruncationMode: Sendable { case head, tail, middle }
    public struct DateStyle: Sendable, Equatable {
        public static var date: DateStyle { stub() }
        public static var time: DateStyle { stub() }
        public static var relative: DateStyle { stub() }
        public static var timer: DateStyle { stub() }
        public static var offset: DateStyle { stub() }
    }
    public init(_ key: LocalizedStringKey, tableName: String? = nil, bundle: Bundle? = nil, comment: StaticString? = nil) {}
    @_disfavoredOverload public init<S: StringProtocol>(_ content: S) {}
    public init(verbatim content: String) {}
    @_disfavoredOverload public init(_ attributedContent: AttributedString) {}
    public init(_ date: Date, style: Text.DateStyle) {}
    public init(_ image: Image) {}
    public init<F: FormatStyle>(_ input: F.FormatInput, format: F) where F.FormatInput: Equatable, F.FormatOutput == String {}
    public static func + (lhs: Text, rhs: Text) -> Text { stub() }
    public func font(_ font: Font?) -> Text { stub() }
    public func fontWeight(_ weight: Font.Weight?) -> Text { stub() }
    public func fontDesign(_ design: Font.Design?) -> Text { stub() }
    public func foregroundColor(_ color: Color?) -> Text { stub() }
    public func foregroundStyle<S: ShapeStyle>(_ style: S) -> Text { stub() }
    public func bold() -> Text { stub() }
    public func italic() -> Text { stub() }
    public func underline(_ isActive: Bool = true) -> Text { stub() }
    public func strikethrough(_ isActive: Bool = true) -> Text { stub() }
    public func monospaced(_ isActive: Bool = true) -> Text { stub() }
    public func monospacedDigit() -> Text { stub() }
    public func kerning(_ kerning: CGFloat) -> Text { stub() }
    public func accessibilityLabel(_ label: Text) -> Text { stub() }
    public func accessibilityHeading(_ level: AccessibilityHeadingLevel) -> Text { stub() }
}
extension Text: View { public var body: Never { return stub() } }

public struct Image: Equatable, Sendable {
    public enum Scale: Sendable { case small, medium, large }
    public enum TemplateRenderingMode: Sendable { case template, original }
    public init(_ name: String, bundle: Bundle? = nil) {}
    public init(_ name: String, bundle: Bundle? = nil, label: Text) {}
    public init(decorative name: String, bundle: Bundle? = nil) {}
    public init(systemName: String) {}
    public func resizable() -> Image { stub() }
    public func renderingMode(_ renderingMode: TemplateRenderingMode?) -> Image { stub() }
    public func symbolRenderingMode(_ mode: SymbolRenderingMode?) -> Image { stub() }
}
extension Image: View { public var body: Never { return stub() } }
public struct SymbolRenderingMode: Sendable {
    public static let hierarchical: SymbolRenderingMode = stub()
    public static let monochrome: SymbolRenderingMode = stub()
    public static let palette: SymbolRenderingMode = stub()
}
public enum AsyncImagePhase: Sendable {
    case empty, success(Image), failure(any Error)
    public var image: Image? { stub() }
    public var error: (any Error)? { stub() }
}
public struct AsyncImage<Content: View>: View {
    nonisolated public init(url: URL?, scale: CGFloat = 1) where Content == Image {}
    nonisolated public init<I: View, P: View>(url: URL?, scale: CGFloat = 1, @ViewBuilder content: @escaping (Image) -> I, @ViewBuilder placeholder: @escaping () -> P) where Content == _ConditionalContent<I, P> {}
    nonisolated public init(url: URL?, scale: CGFloat = 1, transaction: Transaction = Transaction(), @ViewBuilder content: @escaping (AsyncImagePhase) -> Content) {}
    public var body: Never { return stub() }
}

public struct Font: Hashable, Sendable {
    public enum TextStyle: CaseIterable, Sendable { case largeTitle, title, title2, title3, headline, subheadline, body, callout, footnote, caption, caption2 }
    public enum Design: Hashable, Sendable { case `default`, serif, rounded, monospaced }
    public struct Weight: Hashable, Sendable {
        public static let ultraLight: Weight = stub(), thin: Weight = stub(), light: Weight = stub(), regular: Weight = stub()
        public static let medium: Weight = stub(), semibold: Weight = stub(), bold: Weight = stub(), heavy: Weight = stub(), black: Weight = stub()
    }
    public static let largeTitle: Font = stub(), title: Font = stub(), title2: Font = stub(), title3: Font = stub()
    public static let headline: Font = stub(), subheadline: Font = stub(), body: Font = stub(), callout: Font = stub()
    public static let footnote: Font = stub(), caption: Font = stub(), caption2: Font = stub()
    public static func system(_ style: Font.TextStyle, design: Font.Design? = nil, weight: Font.Weight? = nil) -> Font { stub() }
    public static func system(size: CGFloat, weight: Font.Weight? = nil, design: Font.Design? = nil) -> Font { stub() }
    public static func custom(_ name: String, size: CGFloat) -> Font { stub() }
    public static func custom(_ name: String, size: CGFloat, relativeTo textStyle: Font.TextStyle) -> Font { stub() }
    public static func custom(_ name: String, fixedSize: CGFloat) -> Font { stub() }
    public func bold() -> Font { stub() }
    public func italic() -> Font { stub() }
    public func weight(_ weight: Font.Weight) -> Font { stub() }
    public func monospaced() -> Font { stub() }
    public func monospacedDigit() -> Font { stub() }
}

public protocol ShapeStyle: Sendable {}
public struct Color: Hashable, CustomStringConvertible, Sendable {
    public enum RGBColorSpace: Hashable, Sendable { case sRGB, sRGBLinear, displayP3 }
    public init(_ colorSpace: Color.RGBColorSpace = .sRGB, red: Double, green: Double, blue: Double, opacity: Double = 1) {}
    public init(_ colorSpace: Color.RGBColorSpace = .sRGB, white: Double, opacity: Double = 1) {}
    public init(_ name: String, bundle: Bundle? = nil) {}
    public static let red: Color = stub(), orange: Color = stub(), yellow: Color = stub(), green: Color = stub(), mint: Color = stub()
    public static let teal: Color = stub(), cyan: Color = stub(), blue: Color = stub(), indigo: Color = stub(), purple: Color = stub()
    public static let pink: Color = stub(), brown: Color = stub(), white: Color = stub(), gray: Color = stub(), black: Color = stub(), clear: Color = stub()
    public static let primary: Color = stub(), secondary: Color = stub()
    public static var accentColor: Color { stub() }
    public func opacity(_ opacity: Double) -> Color { stub() }
    public var description: String { stub() }
}
extension Color: View { public var body: Never { return stub() } }
extension Color: ShapeStyle {}
public struct HierarchicalShapeStyle: ShapeStyle {
    public static let primary: HierarchicalShapeStyle = stub(), secondary: HierarchicalShapeStyle = stub(), tertiary: HierarchicalShapeStyle = stub(), quaternary: HierarchicalShapeStyle = stub()
}
extension ShapeStyle where Self == HierarchicalShapeStyle {
    public static var primary: HierarchicalShapeStyle { stub() }
    public static var secondary: HierarchicalShapeStyle { stub() }
    public static var tertiary: HierarchicalShapeStyle { stub() }
    public static var quaternary: HierarchicalShapeStyle { stub() }
}
extension ShapeStyle where Self == Color {
    public static var red: Color { stub() }
    public static var orange: Color { stub() }
    public static var yellow: Color { stub() }
    public static var green: Color { stub() }
    public static var blue: Color { stub() }
    public static var white: Color { stub() }
    public static var gray: Color { stub() }
    public static var black: Color { stub() }
    public static var clear: Color { stub() }
}
public struct TintShapeStyle: ShapeStyle { public init() {} }
extension ShapeStyle where Self == TintShapeStyle { public static var tint: TintShapeStyle { stub() } }
public struct BackgroundStyle: ShapeStyle { public init() {} }
extension ShapeStyle where Self == BackgroundStyle { public static var background: BackgroundStyle { stub() } }
public struct Material: ShapeStyle {}
extension ShapeStyle where Self == Material {
    @available(watchOS 10.0, *) public static var regularMaterial: Material { stub() }
    @available(watchOS 10.0, *) public static var thinMaterial: Material { stub() }
    @available(watchOS 10.0, *) public static var ultraThinMaterial: Material { stub() }
    @available(tvOS, unavailable) @available(watchOS, unavailable) public static var bar: Material { stub() }
}

public protocol Shape: Sendable, View {}
extension Shape {
    public var body: Never { return stub() }
    public func fill<S: ShapeStyle>(_ content: S) -> some View { _Modified() }
    public func stroke<S: ShapeStyle>(_ content: S, lineWidth: CGFloat = 1) -> some View { _Modified() }
}
public protocol InsettableShape: Shape {}
extension InsettableShape {
    public func strokeBorder<S: ShapeStyle>(_ content: S, lineWidth: CGFloat = 1) -> some View { _Modified() }
}
public struct Circle: InsettableShape { nonisolated public init() {} }
public struct Capsule: InsettableShape { nonisolated public init() {} }
public struct Rectangle: InsettableShape { nonisolated public init() {} }
public struct RoundedRectangle: InsettableShape {
    nonisolated public init(cornerRadius: CGFloat) {}
    nonisolated public init(cornerSize: CGSize) {}
}
extension Shape where Self == Circle { nonisolated public static var circle: Circle { stub() } }
extension Shape where Self == Capsule { nonisolated public static var capsule: Capsule { stub() } }
extension Shape where Self == Rectangle { nonisolated public static var rect: Rectangle { stub() } }
extension Shape where Self == RoundedRectangle { nonisolated public static func rect(cornerRadius: CGFloat) -> RoundedRectangle { stub() } }
