// SPDX-License-Identifier: Apache-2.0

#if canImport(SwiftUI)
public import SwiftUI

/// A text field with an error below it; a password can be shown.
public struct AuthTextField: View {
    private let title: String
    @Binding private var text: String
    private let isSecure: Bool
    private let error: String?
    @State private var isShown = false

    /// Creates a field.
    ///
    /// - Parameters:
    ///   - title: The label of the field.
    ///   - text: The text that is edited.
    ///   - isSecure: Whether the text is hidden until the user wants to see it.
    ///   - error: The error below the field; nil for none.
    public init(_ title: String, text: Binding<String>, isSecure: Bool = false, error: String? = nil) {
        self.title = title
        _text = text
        self.isSecure = isSecure
        self.error = error
    }

    /// The view.
    public var body: some View {
        VStack(alignment: .leading, spacing: 4) {
            HStack {
                if isSecure && !isShown {
                    SecureField(title, text: $text)
                } else {
                    TextField(title, text: $text)
                        .autocorrectionDisabled()
                }
                if isSecure {
                    Button(action: { isShown.toggle() }) {
                        Image(systemName: isShown ? "eye.slash" : "eye")
                    }
                    .buttonStyle(.plain)
                    .accessibilityLabel(isShown ? "Hide password" : "Show password")
                }
            }
            if let error {
                Text(error)
                    .font(.caption)
                    .foregroundColor(.red)
            }
        }
    }
}
#endif
