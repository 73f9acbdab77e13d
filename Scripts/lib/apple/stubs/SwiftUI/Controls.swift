// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file

// Controls and their styles. Source: https://developer.apple.com/documentation/swiftui/controls-and-indicators.
public import AppleFoundation

private func stub<T>() -> T { fatalError() }

// Buttons
public struct ButtonRole: Equatable, Sendable { public static let destructive: ButtonRole = stub(), cancel: ButtonRole = stub() }
public struct Button<Label: View>: View {
    nonisolated public init(action: @escaping @MainActor () -> Void, @ViewBuilder label: () -> Label) {}
    nonisolated public init(role: ButtonRole?, action: @escaping @MainActor () -> Void, @ViewBuilder label: () -> Label) {}
    public var body: Never { return stub() }
}
extension Button where Label == Text {
    nonisolated public init(_ titleKey: LocalizedStringKey, action: @escaping @MainActor () -> Void) {}
    @_disfavoredOverload nonisolated public init<S: StringProtocol>(_ title: S, action: @escaping @MainActor () -> Void) {}
    nonisolated public init(_ titleKey: LocalizedStringKey, role: ButtonRole?, action: @escaping @MainActor () -> Void) {}
    @_disfavoredOverload nonisolated public init<S: StringProtocol>(_ title: S, role: ButtonRole?, action: @escaping @MainActor () -> Void) {}
}
extension Button where Label == SwiftUI.Label<Text, Image> {
    nonisolated public init(_ titleKey: LocalizedStringKey, systemImage: String, action: @escaping @MainActor () -> Void) {}
    @_disfavoredOverload nonisolated public init<S: StringProtocol>(_ title: S, systemImage: String, action: @escaping @MainActor () -> Void) {}
    nonisolated public init(_ titleKey: LocalizedStringKey, systemImage: String, role: ButtonRole?, action: @escaping @MainActor () -> Void) {}
    @_disfavoredOverload nonisolated public init<S: StringProtocol>(_ title: S, systemImage: String, role: ButtonRole?, action: @escaping @MainActor () -> Void) {}
}
@available(macOS, unavailable) @available(watchOS, unavailable)
public struct EditButton: View { nonisolated public init() {} ; public var body: Never { return stub() } }
public struct Link<Label: View>: View {
    nonisolated public init(destination: URL, @ViewBuilder label: () -> Label) {}
    public var body: Never { return stub() }
}
extension Link where Label == Text {
    nonisolated public init(_ titleKey: LocalizedStringKey, destination: URL) {}
    @_disfavoredOverload nonisolated public init<S: StringProtocol>(_ title: S, destination: URL) {}
}
@available(tvOS, unavailable)
public struct ShareLink<Label: View>: View {
    nonisolated public init(item: String, @ViewBuilder label: () -> Label) {}
    nonisolated public init(item: URL, @ViewBuilder label: () -> Label) {}
    public var body: Never { return stub() }
}
@available(tvOS 17.0, *) @available(watchOS, unavailable)
public struct Menu<Label: View, Content: View>: View {
    nonisolated public init(@ViewBuilder content: () -> Content, @ViewBuilder label: () -> Label) {}
    public var body: Never { return stub() }
}
@available(tvOS 17.0, *) @available(watchOS, unavailable)
extension Menu where Label == Text {
    nonisolated public init(_ titleKey: LocalizedStringKey, @ViewBuilder content: () -> Content) {}
    @_disfavoredOverload nonisolated public init<S: StringProtocol>(_ title: S, @ViewBuilder content: () -> Content) {}
}

// Text input
public struct TextField<Label: View>: View { public var body: Never { return stub() } }
extension TextField where Label == Text {
    nonisolated public init(_ titleKey: LocalizedStringKey, text: Binding<String>) {}
    @_disfavoredOverload nonisolated public init<S: StringProtocol>(_ title: S, text: Binding<String>) {}
    nonisolated public init(_ titleKey: LocalizedStringKey, text: Binding<String>, prompt: Text?) {}
    @_disfavoredOverload nonisolated public init<S: StringProtocol>(_ title: S, text: Binding<String>, prompt: Text?) {}
    nonisolated public init(_ titleKey: LocalizedStringKey, text: Binding<String>, axis: Axis) {}
    @_disfavoredOverload nonisolated public init<S: StringProtocol>(_ title: S, text: Binding<String>, axis: Axis) {}
    nonisolated public init<F: ParseableFormatStyle>(_ titleKey: LocalizedStringKey, value: Binding<F.FormatInput>, format: F, prompt: Text? = nil) where F.FormatOutput == String {}
}
extension TextField { nonisolated public init(text: Binding<String>, prompt: Text? = nil, @ViewBuilder label: () -> Label) {} }
public struct SecureField<Label: View>: View { public var body: Never { return stub() } }
extension SecureField where Label == Text {
    nonisolated public init(_ titleKey: LocalizedStringKey, text: Binding<String>) {}
    @_disfavoredOverload nonisolated public init<S: StringProtocol>(_ title: S, text: Binding<String>) {}
    nonisolated public init(_ titleKey: LocalizedStringKey, text: Binding<String>, prompt: Text?) {}
    @_disfavoredOverload nonisolated public init<S: StringProtocol>(_ title: S, text: Binding<String>, prompt: Text?) {}
}
extension SecureField { nonisolated public init(text: Binding<String>, prompt: Text? = nil, @ViewBuilder label: () -> Label) {} }
@available(tvOS, unavailable) @available(watchOS, unavailable)
public struct TextEditor: View { nonisolated public init(text: Binding<String>) {} ; public var body: Never { return stub() } }

// Values
public struct Toggle<Label: View>: View {
    nonisolated public init(isOn: Binding<Bool>, @ViewBuilder label: () -> Label) {}
    public var body: Never { return stub() }
}
extension Toggle where Label == Text {
    nonisolated public init(_ titleKey: LocalizedStringKey, isOn: Binding<Bool>) {}
    @_disfavoredOverload nonisolated public init<S: StringProtocol>(_ title: S, isOn: Binding<Bool>) {}
}
public struct Picker<Label: View, SelectionValue: Hashable, Content: View>: View {
    nonisolated public init(selection: Binding<SelectionValue>, @ViewBuilder content: () -> Content, @ViewBuilder label: () -> Label) {}
    public var body: Never { return stub() }
}
extension Picker where Label == Text {
    nonisolated public init(_ titleKey: LocalizedStringKey, selection: Binding<SelectionValue>, @ViewBuilder content: () -> Content) {}
    @_disfavoredOverload nonisolated public init<S: StringProtocol>(_ title: S, selection: Binding<SelectionValue>, @ViewBuilder content: () -> Content) {}
}
@available(tvOS, unavailable) @available(watchOS 9.0, *)
public struct Stepper<Label: View>: View {
    nonisolated public init<V: Strideable>(value: Binding<V>, in bounds: ClosedRange<V>, step: V.Stride = 1, @ViewBuilder label: () -> Label) {}
    public var body: Never { return stub() }
}
@available(tvOS, unavailable) @available(watchOS 10.0, *)
public struct DatePicker<Label: View>: View { public var body: Never { return stub() } }
@available(tvOS, unavailable) @available(watchOS 10.0, *)
extension DatePicker where Label == Text { nonisolated public init(_ titleKey: LocalizedStringKey, selection: Binding<Date>) {} }

// Indicators
public struct Label<Title: View, Icon: View>: View {
    nonisolated public init(@ViewBuilder title: () -> Title, @ViewBuilder icon: () -> Icon) {}
    public var body: Never { return stub() }
}
extension Label where Title == Text, Icon == Image {
    nonisolated public init(_ titleKey: LocalizedStringKey, systemImage name: String) {}
    @_disfavoredOverload nonisolated public init<S: StringProtocol>(_ title: S, systemImage name: String) {}
    nonisolated public init(_ titleKey: LocalizedStringKey, image name: String) {}
}
public struct LabeledContent<Label, Content> {}
extension LabeledContent: View where Label: View, Content: View {
    nonisolated public init(@ViewBuilder content: () -> Content, @ViewBuilder label: () -> Label) {}
    public var body: Never { return stub() }
}
extension LabeledContent where Label == Text, Content: View {
    nonisolated public init(_ titleKey: LocalizedStringKey, @ViewBuilder content: () -> Content) {}
    @_disfavoredOverload nonisolated public init<S: StringProtocol>(_ title: S, @ViewBuilder content: () -> Content) {}
}
extension LabeledContent where Label == Text, Content == Text {
    nonisolated public init<S: StringProtocol>(_ titleKey: LocalizedStringKey, value: S) {}
    @_disfavoredOverload nonisolated public init<S1: StringProtocol, S2: StringProtocol>(_ title: S1, value: S2) {}
}
public struct ProgressView<Label: View, CurrentValueLabel: View>: View { public var body: Never { return stub() } }
extension ProgressView where CurrentValueLabel == EmptyView {
    nonisolated public init() where Label == EmptyView {}
    nonisolated public init(@ViewBuilder label: () -> Label) {}
    nonisolated public init(_ titleKey: LocalizedStringKey) where Label == Text {}
    @_disfavoredOverload nonisolated public init<S: StringProtocol>(_ title: S) where Label == Text {}
    nonisolated public init<V: BinaryFloatingPoint>(value: V?, total: V = 1.0) where Label == EmptyView {}
}

// Styles
@MainActor @preconcurrency public protocol PrimitiveButtonStyle {}
@MainActor @preconcurrency public protocol ButtonStyle {
    associatedtype Body: View
    typealias Configuration = ButtonStyleConfiguration
    @ViewBuilder @MainActor @preconcurrency func makeBody(configuration: Configuration) -> Body
}
public struct ButtonStyleConfiguration {
    public struct Label: View { public var body: Never { return stub() } }
    public let role: ButtonRole?
    public let label: ButtonStyleConfiguration.Label
    public let isPressed: Bool
}
public struct DefaultButtonStyle: PrimitiveButtonStyle { nonisolated public init() {} }
public struct BorderedButtonStyle: PrimitiveButtonStyle { nonisolated public init() {} }
public struct BorderedProminentButtonStyle: PrimitiveButtonStyle { nonisolated public init() {} }
public struct BorderlessButtonStyle: PrimitiveButtonStyle { nonisolated public init() {} }
public struct PlainButtonStyle: PrimitiveButtonStyle { nonisolated public init() {} }
@available(tvOS, unavailable) @available(watchOS, unavailable) @available(iOS, unavailable) @available(visionOS, unavailable)
public struct LinkButtonStyle: PrimitiveButtonStyle { nonisolated public init() {} }
extension PrimitiveButtonStyle where Self == DefaultButtonStyle { public static var automatic: Self { stub() } }
extension PrimitiveButtonStyle where Self == BorderedButtonStyle { public static var bordered: Self { stub() } }
extension PrimitiveButtonStyle where Self == BorderedProminentButtonStyle { public static var borderedProminent: Self { stub() } }
extension PrimitiveButtonStyle where Self == BorderlessButtonStyle { @available(tvOS 17.0, *) public static var borderless: Self { stub() } }
extension PrimitiveButtonStyle where Self == PlainButtonStyle { public static var plain: Self { stub() } }
@available(tvOS, unavailable) @available(watchOS, unavailable) @available(iOS, unavailable) @available(visionOS, unavailable)
extension PrimitiveButtonStyle where Self == LinkButtonStyle { public static var link: Self { stub() } }
@MainActor @preconcurrency public protocol TextFieldStyle {}
public struct DefaultTextFieldStyle: TextFieldStyle { nonisolated public init() {} }
public struct PlainTextFieldStyle: TextFieldStyle { nonisolated public init() {} }
@available(tvOS, unavailable) @available(watchOS, unavailable)
public struct RoundedBorderTextFieldStyle: TextFieldStyle { nonisolated public init() {} }
extension TextFieldStyle where Self == DefaultTextFieldStyle { public static var automatic: Self { stub() } }
extension TextFieldStyle where Self == PlainTextFieldStyle { public static var plain: Self { stub() } }
@available(tvOS, unavailable) @available(watchOS, unavailable)
extension TextFieldStyle where Self == RoundedBorderTextFieldStyle { public static var roundedBorder: Self { stub() } }
@MainActor @preconcurrency public protocol ProgressViewStyle {}
public struct CircularProgressViewStyle: ProgressViewStyle { nonisolated public init() {} ; nonisolated public init(tint: Color) {} }
extension ProgressViewStyle where Self == CircularProgressViewStyle { public static var circular: Self { stub() } }
@MainActor @preconcurrency public protocol ToggleStyle {}
@available(tvOS, unavailable) public struct SwitchToggleStyle: ToggleStyle { nonisolated public init() {} }
@available(tvOS, unavailable) @available(watchOS 9.0, *) public struct ButtonToggleStyle: ToggleStyle { nonisolated public init() {} }
@available(tvOS, unavailable)
extension ToggleStyle where Self == SwitchToggleStyle { public static var `switch`: Self { stub() } }
@available(tvOS, unavailable) @available(watchOS 9.0, *)
extension ToggleStyle where Self == ButtonToggleStyle { public static var button: Self { stub() } }
@MainActor @preconcurrency public protocol PickerStyle {}
public struct InlinePickerStyle: PickerStyle { nonisolated public init() {} }
@available(watchOS, unavailable) public struct SegmentedPickerStyle: PickerStyle { nonisolated public init() {} }
@available(tvOS 17.0, *) @available(watchOS, unavailable) public struct MenuPickerStyle: PickerStyle { nonisolated public init() {} }
extension PickerStyle where Self == InlinePickerStyle { public static var inline: Self { stub() } }
@available(watchOS, unavailable)
extension PickerStyle where Self == SegmentedPickerStyle { public static var segmented: Self { stub() } }
@available(tvOS 17.0, *) @available(watchOS, unavailable)
extension PickerStyle where Self == MenuPickerStyle { public static var menu: Self { stub() } }
@MainActor @preconcurrency public protocol LabelStyle {}
public struct IconOnlyLabelStyle: LabelStyle { nonisolated public init() {} }
public struct TitleOnlyLabelStyle: LabelStyle { nonisolated public init() {} }
public struct TitleAndIconLabelStyle: LabelStyle { nonisolated public init() {} }
extension LabelStyle where Self == IconOnlyLabelStyle { public static var iconOnly: Self { stub() } }
extension LabelStyle where Self == TitleOnlyLabelStyle { public static var titleOnly: Self { stub() } }
extension LabelStyle where Self == TitleAndIconLabelStyle { public static var titleAndIcon: Self { stub() } }
@MainActor @preconcurrency public protocol ListStyle {}
public struct PlainListStyle: ListStyle { nonisolated public init() {} }
@available(macOS, unavailable) @available(tvOS, unavailable) @available(watchOS, unavailable) public struct InsetGroupedListStyle: ListStyle { nonisolated public init() {} }
extension ListStyle where Self == PlainListStyle { public static var plain: Self { stub() } }
@available(macOS, unavailable) @available(tvOS, unavailable) @available(watchOS, unavailable)
extension ListStyle where Self == InsetGroupedListStyle { public static var insetGrouped: Self { stub() } }
@MainActor @preconcurrency public protocol FormStyle {}
public struct GroupedFormStyle: FormStyle { nonisolated public init() {} }
public struct ColumnsFormStyle: FormStyle { nonisolated public init() {} }
extension FormStyle where Self == GroupedFormStyle { public static var grouped: Self { stub() } }
extension FormStyle where Self == ColumnsFormStyle { public static var columns: Self { stub() } }
extension View {
    public func buttonStyle<S: PrimitiveButtonStyle>(_ style: S) -> some View { _Modified() }
    public func buttonStyle<S: ButtonStyle>(_ style: S) -> some View { _Modified() }
    public func textFieldStyle<S: TextFieldStyle>(_ style: S) -> some View { _Modified() }
    public func progressViewStyle<S: ProgressViewStyle>(_ style: S) -> some View { _Modified() }
    public func toggleStyle<S: ToggleStyle>(_ style: S) -> some View { _Modified() }
    public func pickerStyle<S: PickerStyle>(_ style: S) -> some View { _Modified() }
    public func labelStyle<S: LabelStyle>(_ style: S) -> some View { _Modified() }
    public func listStyle<S: ListStyle>(_ style: S) -> some View { _Modified() }
    public func formStyle<S: FormStyle>(_ style: S) -> some View { _Modified() }
    @available(watchOS 9.0, *) @available(tvOS, unavailable) public func controlSize(_ controlSize: ControlSize) -> some View { _Modified() }
    @available(tvOS 17.0, *) public func buttonBorderShape(_ shape: ButtonBorderShape) -> some View { _Modified() }
}
public enum ControlSize: CaseIterable, Sendable { case mini, small, regular, large, extraLarge }
public struct ButtonBorderShape: Equatable, Sendable {
    public static let automatic: Self = stub(), capsule: Self = stub(), roundedRectangle: Self = stub(), circle: Self = stub()
    public static func roundedRectangle(radius: CGFloat) -> Self { stub() }
}
