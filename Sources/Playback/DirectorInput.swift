import Stories
import System

extension Director {
  /// What happens to a run.
  public enum Input: Equatable, Sendable {
    /// An event for the stage.
    case command(Stage.Event)
    /// The viewer has asked for another story by a key.
    case jump(Stage.Event)
    /// The answer to `judge`: the stories that the rules forbid by now, if the asked one is among
    /// them, and whether it can be opened without starting a process.
    case judged(Stage.Play, forbidden: [Int], opensAtOnce: Bool)
    /// The answer to `checkViews`.
    case viewsChecked(story: Int, isForbidden: Bool)
    /// The story that plays shows a picture, its first one or another.
    case pictureShown(isFirst: Bool, generation: Int)
    /// The terminal has taken all of the first picture.
    case firstPictureIsOnScreen
    /// The story has played to its end. `isExhausted`: it is not played any more.
    /// `isNextReady`: the first picture of the next story waits to be shown.
    case finished(generation: Int, isExhausted: Bool, isNextReady: Bool)
    /// The story cannot be played (further), and has no slot any more.
    case failed(generation: Int, reason: String)
    /// Time has passed.
    case tick
    /// Whether other stories may be made ready without harm to the one that plays.
    case lookAhead(isAllowed: Bool)
  }

  /// Where another reel's first picture comes from.
  public enum Slide: Equatable, Sendable {
    case forward
    case back
  }

  /// What is to be done.
  public enum Effect: Equatable, Sendable {
    /// The story that was entered last is over; the rest of its sound is heard or not.
    case leave(keepsSound: Bool)
    /// Answered by `judged`.
    case judge(Stage.Play)
    /// A story's turn has come: nothing of it is on the screen.
    case enter(story: Int, slide: Slide?)
    /// A picture from an earlier play, if there is one, stands for the story.
    case showPoster(story: Int)
    /// Ask whether others have used up its views. Answered by `viewsChecked`, at once or later.
    case checkViews(story: Int)
    /// The story that was entered counts for nothing.
    case withdraw
    /// The story gets a slot and plays. If that is not possible, `failed` answers.
    case play(Stage.Play)
    case setPaused(Bool)
    case showError(story: Int, reason: String)
    case showEndCard
    /// The program ends.
    case quit
    /// Keep these stories ready and no others, the most urgent first. `later`: soon this one, too.
    case keepReady([Int], later: Int? = nil)
    /// A key was pressed whose answer is the first picture of another story.
    case countKey
  }

  /// The answer to an input.
  public struct Output: Equatable, Sendable {
    /// What is to be done now, in this order.
    public var effects: [Effect]
    /// When the next tick must come at the latest; nil where nothing is due.
    public var deadline: Instant?
  }
}
