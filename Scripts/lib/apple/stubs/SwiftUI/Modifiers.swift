// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file

// The modifiers of views. Source: https://developer.apple.com/documentation/swiftui/view.
public import AppleFoundation

private func stub() -> Never { fatalError() }

extension View {
    public func padding(_ edges: Edge.Set = .all, _ length: Double? = nil) -> some View { ModifiedContent() }
    public func font(_ font: Font?) -> some View { ModifiedContent() }
    public func fontWeight(_ weight: Font.Weight?) -> some View { ModifiedContent() }
    public func foregroundColor(_ color: Color?) -> some View { ModifiedContent() }
    public func foregroundStyle(_ color: Color) -> some View { ModifiedContent() }
    public func frame(width: Double? = nil, height: Double? = nil, alignment: Alignment = .center) -> some View { ModifiedContent() }
    public func frame(minWidth: Double? = nil, idealWidth: Double? = nil, maxWidth: Double? = nil, minHeight: Double? = nil, idealHeight: Double? = nil, maxHeight: Double? = nil, alignment: Alignment = .center) -> some View { ModifiedContent() }
    public func background(_ color: Color) -> some View { ModifiedContent() }
    public func cornerRadius(_ radius: Double, antialiased: Bool = true) -> some View { ModifiedContent() }
    public func clipShape(_ shape: some Shape) -> some View { ModifiedContent() }
    public func scaleEffect(_ scale: Double) -> some View { ModifiedContent() }
    public func aspectRatio(_ ratio: Double? = nil, contentMode: ContentMode) -> some View { ModifiedContent() }
    public func disabled(_ disabled: Bool) -> some View { ModifiedContent() }
    public func textFieldStyle(_ style: some TextFieldStyle) -> some View { ModifiedContent() }
    public func progressViewStyle(_ style: some ProgressViewStyle) -> some View { ModifiedContent() }
    public func buttonStyle(_ style: some PrimitiveButtonStyle) -> some View { ModifiedContent() }
    public func autocorrectionDisabled(_ disable: Bool = true) -> some View { ModifiedContent() }
    public func accessibilityLabel(_ label: String) -> some View { ModifiedContent() }
    public func navigationTitle(_ title: String) -> some View { ModifiedContent() }
    public func environmentObject(_ object: some ObservableObject) -> some View { ModifiedContent() }
    public func onSubmit(_ action: @escaping @MainActor () -> Void) -> some View { ModifiedContent() }
    public func task(_ action: @escaping @MainActor @Sendable () async -> Void) -> some View { ModifiedContent() }
    public func alert(_ title: String, isPresented: Binding<Bool>, @ViewBuilder actions: () -> some View, @ViewBuilder message: () -> some View) -> some View { ModifiedContent() }
    public func sheet(isPresented: Binding<Bool>, onDismiss: (() -> Void)? = nil, @ViewBuilder content: @escaping () -> some View) -> some View { ModifiedContent() }
}

// UIKit's types of text input
@available(macOS, unavailable) @available(watchOS, unavailable)
public struct UITextContentType: Sendable {
    public static var emailAddress: Self { stub() }
    public static var password: Self { stub() }
    public static var username: Self { stub() }
}
@available(macOS, unavailable) @available(watchOS, unavailable)
public enum UIKeyboardType: Sendable { case `default`, emailAddress }
@available(macOS, unavailable) @available(watchOS, unavailable)
public enum UITextAutocapitalizationType: Sendable { case none, words }
extension View {
    @available(macOS, unavailable) @available(watchOS, unavailable)
    public func textContentType(_ type: UITextContentType?) -> some View { ModifiedContent() }
    @available(macOS, unavailable) @available(watchOS, unavailable)
    public func keyboardType(_ type: UIKeyboardType) -> some View { ModifiedContent() }
    @available(macOS, unavailable) @available(watchOS, unavailable)
    public func autocapitalization(_ style: UITextAutocapitalizationType) -> some View { ModifiedContent() }
}

public struct AsyncImage<Content: View>: View {
    public init<I: View, P: View>(url: URL?, scale: Double = 1, @ViewBuilder content: @escaping (Image) -> I, @ViewBuilder placeholder: @escaping () -> P) where Content == _ConditionalContent<I, P> {}
    public var body: Never { stub() }
}
