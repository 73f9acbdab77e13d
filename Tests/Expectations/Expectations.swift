// SPDX-License-Identifier: Apache-2.0

public import Testing

// What `#expect(a == b)` says, by a function. The macro costs the compiler 29 ms each time, a call 0.2 ms, and the tests compare
// 14,000 times (Documentation/Decisions/0116). All else is said by `#expect` and `#require`.

/// Records an issue where two values differ.
public func expectEqual<Value: Equatable>(
    _ actual: Value, _ expected: Value, _ comment: @autoclosure () -> Comment? = nil,
    sourceLocation: SourceLocation? = nil, fileID: String = #fileID, filePath: String = #filePath, line: Int = #line,
    column: Int = #column
) {
    guard actual != expected else { return }
    record(
        "\(String(reflecting: actual)) is not \(String(reflecting: expected))", comment(),
        at: sourceLocation ?? SourceLocation(fileID: fileID, filePath: filePath, line: line, column: column))
}

/// Records an issue where two values are equal.
public func expectNotEqual<Value: Equatable>(
    _ actual: Value, _ unexpected: Value, _ comment: @autoclosure () -> Comment? = nil,
    sourceLocation: SourceLocation? = nil, fileID: String = #fileID, filePath: String = #filePath, line: Int = #line,
    column: Int = #column
) {
    guard actual == unexpected else { return }
    record(
        "both are \(String(reflecting: actual))", comment(),
        at: sourceLocation ?? SourceLocation(fileID: fileID, filePath: filePath, line: line, column: column))
}

/// Records an issue where there is a value.
public func expectNil<Value>(
    _ actual: Value?, _ comment: @autoclosure () -> Comment? = nil, sourceLocation: SourceLocation? = nil,
    fileID: String = #fileID, filePath: String = #filePath, line: Int = #line, column: Int = #column
) {
    guard let actual else { return }
    record(
        "\(String(reflecting: actual)) is not nil", comment(),
        at: sourceLocation ?? SourceLocation(fileID: fileID, filePath: filePath, line: line, column: column))
}

private func record(_ text: String, _ comment: Comment?, at location: SourceLocation) {
    Issue.record(comment.map { "\(text): \($0)" } ?? "\(text)", sourceLocation: location)
}
