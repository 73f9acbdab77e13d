// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
/// Calls `body` with C strings that are valid during the call, nil for nil: for a C structure with many of them.
func withCStrings<Result>(_ texts: [String?], _ body: ([UnsafePointer<CChar>?]) -> Result) -> Result {
    func next(_ index: Int, _ pointers: [UnsafePointer<CChar>?]) -> Result {
        guard index < texts.count else { return body(pointers) }
        guard let text = texts[index] else { return next(index + 1, pointers + [nil]) }
        return text.withCString { next(index + 1, pointers + [$0]) }
    }
    return next(0, [])
}
#endif
