# SPDX-License-Identifier: Apache-2.0
"""Mistakes that are typical of SwiftUI, for `check-apple --seed`; seeds.py makes them."""


def _view(body, state=""):
    """A view with a mistake, to be added to a file."""
    return f"struct SeededView: View {{\n    {state}\n    var body: some View {{ {body} }}\n}}"


# Name, file of LatchUI, platform, what the compiler says, and the code that is added.
MISTAKES = [
    (
        "missing $ on a binding", "AuthField.swift", "ios", "'Binding<String>'",
        _view('TextField("Name", text: text)', '@State private var text = ""')),
    (
        "modifier that tvOS lacks", "CodeText.swift", "tvos", "unavailable in tvOS",
        _view('Text("1234").textSelection(.enabled)')),
    (
        "type that is no view", "NoticeBanner.swift", "macos", "conform to 'View'",
        _view("VStack { Control.text(Phrase.verbatim(text)) }", 'let text = ""').replace(
            "struct", "import LatchTexts\nstruct", 1)),
    (
        "wrong key of the environment", "AuthEnvironment.swift", "ios", "no exact matches in call to initializer",
        _view('Text("a").font(theme.bodyFont)', r"@Environment(\.authThemes) private var theme")),
    (
        "state in a constant", "AuthToggle.swift", "visionos", "can only be applied to a 'var'",
        _view('Text("a")', "@State private let isOn = false")),
    (
        "focus of another type", "ScreenForm.swift", "ios", "expected argument type 'ControlID'",
        _view('TextField("a", text: .constant("")).focused($focus, equals: 1)',
              "@FocusState private var focus: ControlID?")),
    (
        "rows without an identity", "ControlRow.swift", "macos", "conform to 'Identifiable'",
        _view("ForEach(all) { Text($0.text) }", "struct Row { let text: String }\n    let all: [Row] = []")),
    (
        "action that is not Sendable", "SessionGate.swift", "ios", "@Sendable",
        "@MainActor func seeded(_ action: @escaping () async -> Void) -> some View { EmptyView().task(action) }"),
    (
        "model called off the main actor", "ControlSender.swift", "watchos", "main actor-isolated",
        "func seeded(_ model: SignInModel) { model.press(.submit) }"),
    (
        "sheet of an item without an identity", "StepUpSheet.swift", "ios", "conform to 'Identifiable'",
        _view('Text("a").sheet(item: $item) { Text($0.text) }',
              "struct Item { let text: String }\n    @State private var item: Item?")),
    (
        "two types behind one result", "UserButton.swift", "macos", "underlying types",
        '@MainActor func seeded(_ isOn: Bool) -> some View { if isOn { return Text("a") }; return Image("b") }'),
    (
        "environment of a class that is not observable", "OfflineBanner.swift", "ios", "no exact matches in call",
        _view('Text("a")', "final class Store {}\n    @Environment(Store.self) private var store")),
    (
        "class of UIKit on a Mac", "AuthTheme.swift", "macos", "unavailable in macOS",
        _view('Text("a").keyboardType(.emailAddress)')),
]
