"""The words of Faber: every keyword, type name and annotation with its meaning, group and counterparts,
as data."""

from __future__ import annotations

from msgspec import Struct


class Word(Struct, frozen=True):
    """One reserved word. `latin` is the canonical spelling the parser and the tree know it by."""

    latin: str
    english: str
    symbol: str
    group: str
    typescript: str  # what it becomes, or "" where TypeScript has nothing like it
    meaning: str


def words(text: str) -> frozenset[str]:
    """The words of a text, for tables that read better as one."""
    return frozenset(text.split())


def _rows(group: str, text: str) -> tuple[Word, ...]:
    """Read `latin | english | symbol | typescript | meaning` lines, as the tables below are written."""
    words = []
    for line in text.strip().splitlines():
        latin, english, symbol, typescript, meaning = (cell.strip() for cell in line.split(" | "))
        words.append(Word(latin, english, symbol, group, typescript, meaning))
    return tuple(words)


KEYWORDS: tuple[Word, ...] = (
    *_rows(
        "declarations",
        """
        fixum | const | ≝ | const | an immutable variable
        varia | let | ≔ | let | a mutable variable
        figendum | const_await | ⧖ | const … = await | an immutable variable that awaits its value
        variandum | let_await | ⧗ | let … = await | a mutable variable that awaits its value
        functio | function | ƒ | function | a function or method
        typus | type | ⊤ | type | a type alias
        genus | class | ⌂ | class | a class
        pactum | interface | ⎔ | interface | a contract of method signatures
        ordo | enum | № | enum | an enumeration
        discretio | tagged | ⊕ | type A = { tag } / … | a tagged union
        importa | import | ⇐ | import | takes names out of a module
        exporta | export | ⇒ | export | reserved
        """,
    ),
    *_rows(
        "control flow",
        """
        si | if | ¿ | if | condition; before a parameter: optional
        sin | elif | ⁇ | else if | further condition
        secus | else | ¡ | else | otherwise; second half of `sic … secus`
        dum | while | ↻ | while | loop while the condition holds
        fac | do | ▷ | do / {} | a block of its own scope; with `dum` a do-while loop
        ex | from | ∈ | for … of | loop over values; take names out of a module or an object
        de | of | ∋ | for … in | loop over keys; before a parameter: borrowed
        in | in | ↦ | with | assign to the properties of an object; before a parameter: changed in place
        pro | for | λ | => | names the loop variable, or starts a lambda
        elige | switch | ⎇ | switch | choose a case by value
        casu | case | ▸ | case | one case
        ceterum | default | ⋯ | default | the remaining case
        discerne | match | ⋔ | switch on tag | choose a case by the variant of a tagged union
        custodi | guard | ⛨ | if … return | a group of early exits
        ergo | then | ⊢ | { … } | one statement instead of a block
        reddit | gives | ⊣ | { return … } | return one expression instead of a block
        redde | return | ⏎ | return | return from a function
        rumpe | break | ⊠ | break | leave the loop
        perge | continue | ⊳ | continue | next round of the loop
        incipit | main | ⊩ | (top level) | the entry point
        incipiet | main_async | ⊪ | (async () => {})() | the asynchronous entry point
        """,
    ),
    *_rows(
        "errors and resources",
        """
        tempta | try | ⌈ | try | run and catch
        cape | catch | ⌊ | catch | what to do with the error
        demum | finally | ⌋ | finally | always at the end
        iace | throw | ↯ | throw | throw a value
        mori | panic | ☠ | throw new Panic | throw an error nobody should catch
        adfirma | assert | ⊨ | if (!…) throw | throw unless the condition holds
        cura | using | ⌬ | try … finally | use a resource and release it
        arena | arena | ⌗ |  | reserved kind of resource
        page | page | ⌘ |  | reserved kind of resource
        curata | managed | ⌭ |  | names the allocator of a function
        """,
    ),
    *_rows(
        "output and input",
        """
        scribe | print | ✎ | console.log | print
        vide | debug | ✐ | console.debug | print for debugging
        mone | warn | ✏ | console.warn | print to standard error
        lege | read | ⎗ |  | read standard input
        lineam | line | ⎘ |  | one line of it
        scriptum | format | ⊞ | template literal | a text with § placeholders
        """,
    ),
    *_rows(
        "values",
        """
        verum | true | ⊺ | true | true; before an operand: is it true
        falsum | false | ⊥ | false | false; before an operand: is it false
        nihil | null | ∅ | null | nothing; before an operand: is it nothing
        ego | self | ⊙ | this | the object a method runs on
        novum | new | ✚ | new | make an object of a class
        finge | form | ⊛ | { tag: … } | make a variant of a tagged union
        """,
    ),
    *_rows(
        "operators",
        """
        et | and | ∧ | && | logical and
        aut | or | ∨ | || | logical or
        vel | otherwise | ⁈ | ?? | the left value unless it is nothing; default of a parameter
        non | not | ¬ | ! | logical not
        est | is | ≡ | instanceof / typeof | is the value of this type
        sic | yields | ⊃ | ? | first half of the conditional expression
        nulla | empty | ∄ | == null / length 0 | nothing or empty
        nonnulla | nonempty | ∃ | != null && length | something, and not empty
        nonnihil | nonnull | ∉ | != null | not nothing
        negativum | negative | ⊖ | < 0 | below zero
        positivum | positive | ⨁ | > 0 | above zero
        intra | within | ⊂ | >= && < | inside a range
        inter | among | ∊ | includes | one of a list
        ante | until | ‥ | (range) | range without its end
        usque | through | … | (range) | range with its end
        per | step | ∕ | (range) | step of a range
        sparge | spread | ⁂ | ... | spread a list or an object
        ceteri | rest | ⁘ | ... | the rest of a list, an object or the arguments
        cede | await | ⌛ | await / yield | wait for a promise, or yield from a generator
        """,
    ),
    *_rows(
        "conversions",
        """
        qua | as | ⇝ | as | treat as this type, without any conversion
        innatum | native | ⇜ | new Map() / [] | build the native collection
        numeratum | to_int | ⌗ⁿ | parseInt | convert to `numerus`
        fractatum | to_float | ⌗ᶠ | parseFloat | convert to `fractus`
        textatum | to_text | ⌗ᵗ | String | convert to `textus`
        bivalentum | to_bool | ⌗ᵇ | Boolean | convert to `bivalens`
        sinistratum | shift_left | ≪ | << | shift bits to the left
        dextratum | shift_right | ≫ | >> | shift bits to the right
        Dec | Decimal | ⑩ | 10 | base ten
        Hex | Hexadecimal | ⑯ | 16 | base sixteen
        Oct | Octal | ⑧ | 8 | base eight
        Bin | Binary | ② | 2 | base two
        """,
    ),
    *_rows(
        "functions",
        """
        fit | becomes | → | return type | returns one value
        fiet | will_become | ⇢ | async | asynchronous function or lambda
        fiunt | become | ⇉ | function* | generator
        fient | will_become_many | ⇶ | async function* | asynchronous generator
        prae | pre | ∀ | <T> | declares a type parameter
        praefixum | comptime | ⊡ | (evaluated) | evaluated ahead of time
        ut | renamed | ≈ | as | gives another name
        futura | async | ⏳ | async | annotation: asynchronous
        cursor | generator | ⟳ | function* | annotation: generator; type: iterator
        """,
    ),
    *_rows(
        "classes",
        """
        sub | extends | ⊏ | extends | inherits from
        implet | implements | ⊨ᵢ | implements | fulfils a contract
        generis | static | ⌂ˢ | static | belongs to the class
        nexum | reactive | ⌂ⁿ | get/set | a field with accessors
        publicus | public | ◇ | public | visibility
        privatus | private | ◆ | private | visibility
        protectus | protected | ◈ | protected | visibility
        abstractus | abstract | ◌ | abstract | no instances of its own
        """,
    ),
    *_rows(
        "collections",
        """
        ab | filter | ⊲ | filter | the elements that have a property
        ubi | where | ⊸ | filter | the condition of a filter
        prima | first | ⇤ | slice(0, n) | the first n
        ultima | last | ⇥ | slice(-n) | the last n
        summa | sum | ∑ | reduce | the sum
        ordina | sort | ⇵ |  | reserved
        collige | pluck | ⊚ |  | reserved
        grupa | group | ⊟ |  | reserved
        sed | regex | ⁄ | RegExp | a regular expression
        ad | dispatch | ⇨ |  | call by address; has no meaning in TypeScript
        """,
    ),
    *_rows(
        "tests",
        """
        probandum | suite | ☐ | describe | a group of tests
        proba | test | ☑ | test | one test
        omitte | skip | ☒ | test.skip | leave the test out, and why
        futurum | todo | ☛ | test.todo | a test still to be written, and why
        omnia | all | ⋂ | …All | once for the whole group
        praepara | before | ↥ | beforeEach | before every test
        praeparabit | before_async | ⇑ | beforeEach(async) | before every test, asynchronously
        postpara | after | ↧ | afterEach | after every test
        postparabit | after_async | ⇓ | afterEach(async) | after every test, asynchronously
        """,
    ),
)

TYPES: tuple[Word, ...] = _rows(
    "types",
    """
    textus | text | 𝕋 | string | text
    numerus | int | ℤ | number | a number; literals without a fraction
    fractus | float | ℝ | number | a number with a fraction
    decimus | decimal | 𝔻 | number | a decimal number
    magnus | bigint | 𝕄 | bigint | an integer of any size
    bivalens | bool | 𝔹 | boolean | `verum` or `falsum`
    vacuum | void | 𝕍 | void | no value
    numquam | never | ⊘ | never | never comes back
    octeti | bytes | 𝕆 | Uint8Array | bytes
    objectum | object | 𝕁 | object | a plain object
    signum | sign | 𝕊 | symbol | a unique mark
    incertum | undefined_type | 𝕌 | undefined | not set
    ignotum | unknown | ⍰ | unknown | anything, unchecked
    quodlibet | any | ✱ | any | anything
    for | result | ⅎ | Result | a value or an error
    lista | list | 𝕃 | Array | a list
    tabula | map | ℳ | Map | a table from keys to values
    copia | set | ℂ | Set | a set
    unio | union | ∪ | A / B | one of several types
    promissum | promise | ℙ | Promise | a value that comes later
    fluxus | stream | 𝔽 | AsyncIterable | a stream
    erratum | error | 𝔼 | Error | an error
    tempus | time | ⌚ | Date | a point in time
    forsitan | maybe | 𝕐 | T / undefined | a value or nothing
    par | partial | ℘ | Partial | all fields optional
    totum | required | ℛ | Required | all fields required
    lectum | readonly | ℓ | Readonly | fields that cannot change
    registrum | record | ℜ | Record | an object by key type and value type
    selectum | pick | ℐ | Pick | some fields of a type
    omissum | omit | ℧ | Omit | all but some fields of a type
    extractum | extract | ℰ | Extract | the members of a union that fit
    exclusum | exclude | ℱ | Exclude | the members of a union that do not fit
    reditus | return_type | ℎ | ReturnType | what a function returns
    parametra | parameters | ℌ | Parameters | what a function takes
    indicium | pointer | ℑ |  | reserved
    refera | reference | ℒ |  | reserved
    futuracursor | async_iterator | ⟲ | AsyncIterator | an asynchronous iterator
    futurusfluxus | async_stream | ⥁ | AsyncIterable | an asynchronous stream
    """,
)

UNDECLARABLE = frozenset({"numquam"})
"""Type names that mean something but do not by themselves start a declaration:
`fixum numquam = 1` names a variable."""

ANNOTATIONS: tuple[Word, ...] = _rows(
    "annotations",
    """
    publica | exported | ◇ᵃ | export | visible to other modules
    privata | hidden | ◆ᵃ | (not exported) | visible in this module only
    protecta | inherited | ◈ᵃ | protected | visible to subclasses
    externa | external | ⤓ | declare | defined elsewhere, only declared here
    abstractum | unfinished | ◌ᵃ | abstract | an abstract class or method
    """,
)

WORDS: tuple[Word, ...] = (*KEYWORDS, *TYPES, *ANNOTATIONS)

KEYWORD_NAMES = frozenset(word.latin for word in KEYWORDS)
TYPE_NAMES = frozenset(word.latin for word in TYPES)
DECLARABLE_TYPES = TYPE_NAMES - UNDECLARABLE
"""Names that, standing first in a declaration and not before `=`, are read as its type."""

CONSTRUCTOR = "creo"
"""The method that runs once an object is made. A name with a meaning, not a reserved word."""

NOT_READABLE = words(
    "si dum fac pro elige nulla nonnulla nonnihil negativum positivum rumpe perge redde custodi adfirma "
    "probandum praepara praeparabit postpara postparabit cura tempta iace mori scribe vide mone scriptum "
    "cede novum finge discerne incipit incipiet praefixum non fit fiet de in ex ad ab sed"
)
"""Keywords that may be declared as names but can never be read back as an expression."""
